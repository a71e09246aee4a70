/** Is told of events once they are committed. */
export interface EventSink {
  committed(account: string, count: number): void
}
