/** A few kills find a clear failure; the nightly form finds failures that happen once in a hundred kills. */
export const nightly = process.env.NOUNKIT_NIGHTLY === '1'
