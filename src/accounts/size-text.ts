/** About how much an account has, for people: `86 kB`, `12.4 MB`. */
export const sizeOfRows = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
