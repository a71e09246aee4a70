/** `--consumer 'the app'`: an option of a printed command line, to be pasted into a shell. */
export const shellOption = (name: string, value: string): string =>
  // What begins with a dash would be taken for the next option.
  `--${name}${value.startsWith('-') ? '=' : ' '}${shellWord(value)}`

/** Between single quotes a shell expands nothing; a single quote itself can only stand outside of them. */
export const shellWord = (text: string): string =>
  /^[\w.:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
