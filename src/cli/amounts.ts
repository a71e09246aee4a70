/** `12.3 MB` */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let size = bytes
  let unit = 0
  for (; size >= 1_000 && unit < units.length - 1; unit++) size /= 1_000
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`
}
