/**
 * The words of a text: runs of letters and digits, after NFKD, without marks, in lower case. So case, accents and ligatures do not matter.
 * A final sigma is written like any other. Both databases index the words that this function gives, and do not change them.
 */
export const searchWords = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .match(/[\p{L}\p{Nd}]+/gu) ?? []
