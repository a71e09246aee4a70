/** Keys of `nounkit_meta` under which an import notes the rows that lack some of their references. */
export const unfinishedPrefix = 'unfinished '

/** A row, by its account (empty for a shared row), the name of its resource, and its id. */
type RowName = readonly [account: string, resource: string, id: string]

export const unfinishedKey = (...row: RowName): string => unfinishedPrefix + JSON.stringify(row)

export const rowOfKey = (key: string): RowName => JSON.parse(key.slice(unfinishedPrefix.length))
