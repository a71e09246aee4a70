/**
 * For `under`: the process can write no file beyond this size, as on a disk where its quota is used up. It works for every user on
 * every system: `ulimit` of the shell counts blocks of 512 bytes.
 */
export const largestFile = (megabytes: number): readonly string[] => [
  '/bin/sh',
  '-c',
  `ulimit -f ${megabytes * 2048} && exec "$0" "$@"`,
]
