/** Twenty kills tell whether something broke; the nightly form looks for what happens once in a hundred. */
export const nightly = process.env.NOUNKIT_NIGHTLY === '1'
