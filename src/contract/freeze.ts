import { createHash } from 'node:crypto'
import type { Contract } from '../compile/contract-format.ts'

/** The order of members is part of the contract. */
const contractHash = (contract: Contract): string =>
  `sha256:${createHash('sha256').update(JSON.stringify(contract)).digest('hex')}`

/** The text of a contract file: with its hash, and laid out so that a review shows one fact per line. */
export const freezeContract = (contract: Contract): string =>
  `${layOut({ hash: contractHash(contract), ...contract }, '')}\n`

const width = 110

/** A value that fits on one line is written on one line. */
const layOut = (value: unknown, indent: string): string => {
  const flat = inline(value)
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= width) return flat
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => inner + layOut(item, inner)).join(',\n')}\n${indent}]`
  }
  const lines = Object.entries(value).map(
    ([key, item]) => `${inner}${JSON.stringify(key)}: ${layOut(item, inner)}`,
  )
  return `{\n${lines.join(',\n')}\n${indent}}`
}

const inline = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inline(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

export type Thawed =
  | { readonly contract: Contract; readonly fault: null }
  | { readonly contract: null; readonly fault: { readonly what: string; readonly hint: string } }

export const undo =
  'Undo the edit with your version control: a published promise changes only through "nounkit publish".'

/** Reads the text of a contract file, and refuses one that was changed since it was published. */
export const thawContract = (text: string, version: string): Thawed => {
  const fault = (what: string, hint: string): Thawed => ({ contract: null, fault: { what, hint } })
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return fault('it is not valid JSON.', undo)
  }
  if (typeof data !== 'object' || data === null || !('format' in data) || data.format !== 2) {
    return fault('it is not a contract of a format this engine knows.', undo)
  }
  const { hash, ...contract } = data as Contract & { readonly hash?: string }
  if (hash !== contractHash(contract)) return fault('it was edited by hand: its hash does not match.', undo)
  if (contract.version !== version) {
    return fault(`it is the contract of ${contract.version}.`, `Name the file ${contract.version}.json.`)
  }
  return { contract, fault: null }
}
