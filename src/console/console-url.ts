/** A URL with a query of what is set. */
export const consoleUrl = (
  path: string,
  query: { readonly [name: string]: string | null | undefined },
): string => {
  const set = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== null && entry[1] !== undefined,
  )
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`
}
