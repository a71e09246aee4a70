import type { Model, Version } from '../compile/model.ts'
import { counted } from '../compile/names/plural.ts'
import { contractOf } from '../contract/contract.ts'
import { compareContracts } from '../contract/diff/diff.ts'
import { type Difference, isBreaking } from '../contract/diff/difference.ts'
import { type ExplainedLine, explainDifference } from '../contract/guide/explain-difference.ts'
import { type Given, jsonOption } from './command.ts'
import { differenceJson, differenceLine } from './difference-line.ts'
import { compileLoaded, loadApi } from './load.ts'
import { namedVersion } from './named-version.ts'
import { apiAnd } from './positionals.ts'

export const options = {
  raw: {
    type: 'boolean',
    does: 'lists the differences between the contracts, without regard to declared changes',
  },
  json: jsonOption,
} as const

/** `nounkit diff [API] FROM TO`: by the declared changes; `--raw` by the two contracts alone. */
export async function diffCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place, from, to] = apiAnd(words, 2)
  const model = compileLoaded(await loadApi(place))
  const [older, newer] = [namedVersion(model, from), namedVersion(model, to)]
  const raw = compareContracts(contractOf(model, older), contractOf(model, newer))
  const explained = isForward(model, older, newer) ? explainDifference(model, older, newer) : null
  if (flags.json) console.log(jsonText(explained, raw))
  else console.log(explained === null || flags.raw ? rawText(raw) : explainedText(explained, raw))
  return 0
}

const jsonText = (lines: readonly ExplainedLine[] | null, raw: readonly Difference[]): string => {
  const explained =
    lines?.map((line) => ({ ...line, differences: line.differences.map(differenceJson) })) ?? null
  return JSON.stringify({ explained, raw: raw.map(differenceJson) }, null, 2)
}

/** Declared changes lead from an older version to a newer one. In the other direction there are none. */
const isForward = ({ versions }: Model, from: Version, to: Version): boolean =>
  versions.indexOf(to) <= versions.indexOf(from)

const rawText = (raw: readonly Difference[]): string =>
  [...raw.map(differenceLine), summaryOf(raw)].join('\n')

const explainedText = (lines: readonly ExplainedLine[], raw: readonly Difference[]): string => {
  const steps = Map.groupBy(lines, ({ from, to }) => `${from} → ${to}`)
  const sections = [...steps].flatMap(([title, ofStep]) => [
    ...(steps.size > 1 ? [title] : []),
    ...ofStep.map((line) => lineText(line, ofStep)),
  ])
  const declared = lines.filter(({ change }) => change !== null).length
  const by = `${counted(declared, 'declared change')} and ${counted(lines.length - declared, 'addition')}`
  return [
    ...sections,
    `${summaryOf(raw)}${raw.length === 0 ? '' : ` ${raw.length === 1 ? 'It follows' : 'They follow'} from ${by}; --raw lists ${raw.length === 1 ? 'it' : 'them'}.`}`,
  ].join('\n')
}

/** Lines about a renamed resource are indented below its rename. */
const lineText = (line: ExplainedLine, all: readonly ExplainedLine[]): string => {
  const inRenamed =
    line.change !== 'rename-resource' &&
    all.some(({ change, resource }) => change === 'rename-resource' && resource === line.resource)
  return differenceLine(inRenamed ? { ...line, where: `  ${line.where}` } : line)
}

const summaryOf = (raw: readonly Difference[]): string =>
  `${counted(raw.length, 'difference')}, ${raw.filter(isBreaking).length} of them breaking.`
