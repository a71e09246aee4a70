/** A value of any type as a message shows it. JSON has no form for some of them, such as a bigint. */
export const shownValue = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ??
  typeof value
