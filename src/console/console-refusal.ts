/** Why a page is not shown, in words for an operator. Problems of the engine are shown the same way. */
export class ConsoleRefusal extends Error {
  readonly status: number
  readonly title: string

  constructor(status: number, title: string, message: string) {
    super(message)
    this.name = 'ConsoleRefusal'
    this.status = status
    this.title = title
  }
}

export const noSuchPage = (): ConsoleRefusal =>
  new ConsoleRefusal(404, 'Not found', 'The console has no page at this address, or what it showed is gone.')
