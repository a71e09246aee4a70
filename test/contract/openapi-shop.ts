import { readdir, readFile } from 'node:fs/promises'

const folder = new URL('../../examples/shop/contracts/', import.meta.url)

/** The demo's frozen contracts, as its server reads them. */
export const shopContracts = async (): Promise<ReadonlyMap<string, unknown>> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
  const read = names.map(
    async (name): Promise<[string, unknown]> => [
      name.replace('.json', ''),
      JSON.parse(await readFile(new URL(name, folder), 'utf8')),
    ],
  )
  return new Map(await Promise.all(read))
}
