import { fileURLToPath } from 'node:url'
import type { Contract } from '../../src/compile/contract-format.ts'
import { readContracts } from '../../src/contract/contract-files.ts'

/** The demo's frozen contracts, as its server reads them. */
export const shopContracts = async (): Promise<ReadonlyMap<string, Contract>> =>
  (await readContracts(fileURLToPath(new URL('../../examples/shop/contracts', import.meta.url)))).contracts
