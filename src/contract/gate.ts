import { kindOf } from '../compile/change-kinds/change-kinds.ts'
import type { Contract } from '../compile/contract-format.ts'
import type { Model, Version } from '../compile/model.ts'
import { type AdviceLine, type Crossing, writtenLine } from './advice/advice-line.ts'
import { linesFor } from './advice/advice-lines.ts'
import { sourceOf } from './advice/change-source.ts'
import { explain } from './advice/proven-changes.ts'
import { nextName } from './advice/with-changes.ts'
import { type Age, compareWithPromise } from './compare-with-promise.ts'
import { contractOf } from './contract.ts'
import { compareContracts } from './diff/diff.ts'
import { type Difference, isBreaking, isHeldBack } from './diff/difference.ts'
import type { Refusal } from './gate-refusal.ts'
import { judgeChanges } from './judge-changes.ts'

export interface GateAnswer {
  /** Empty: the API keeps every contract and may be served. A break in several versions is reported for the newest of them. */
  readonly refusals: readonly Refusal[]
  /** Every version that breaks its contract, reported or not. */
  readonly broken: ReadonlySet<string>
  /** The additions of the newest published version since it was last published. */
  readonly grown: readonly { readonly version: string; readonly differences: readonly Difference[] }[]
}

/** Compares every published version with its frozen contract: the newest may have additions, older ones must be the same. */
export const checkContracts = (model: Model, frozen: ReadonlyMap<string, Contract>): GateAnswer => {
  const promised = model.versions.filter(({ name, published }) => published !== null || frozen.has(name))
  const answers = promised.map((version, index) =>
    checkVersion(model, version, frozen.get(version.name), index === 0 ? 'newest' : 'older'),
  )
  const broken = new Set(answers.flatMap(({ refusal }) => refusal?.version ?? []))
  // A list of changes that lacks lines is judged once it is complete.
  const listed = model.versions.filter(({ name }) => !broken.has(name))
  return {
    broken,
    refusals: [
      ...withoutRepeats(model, answers, frozen),
      ...leftOver(model, frozen),
      ...listed.flatMap((version) => disagreement(model, version)),
    ],
    grown: answers.flatMap(({ version, grown }) =>
      grown.length > 0 ? [{ version, differences: grown }] : [],
    ),
  }
}

/** An older version is made from the newer one, so a break there is repeated in the older one. It is reported and fixed once, in the newer one. */
const withoutRepeats = (
  model: Model,
  answers: readonly Checked[],
  frozen: ReadonlyMap<string, Contract>,
): readonly Refusal[] => {
  const reported = new Set<string>()
  const unreported = (all: readonly Difference[]) =>
    all.filter(({ where, what }) => !reported.has(`${where} ${what}`))
  // The model with the reported lines already written into the newer versions.
  let corrected = model
  return answers.flatMap(({ refusal, version, age }) => {
    if (!refusal) return []
    const { differences } = refusal
    if (differences.length === 0) return [refusal]
    const { changes, left, with: written } = explain(corrected, frozen, version, age)
    corrected = written
    const fresh = unreported(differences)
    const rest = unreported((corrected === model ? null : left) ?? differences)
    for (const { where, what } of differences) reported.add(`${where} ${what}`)
    if (fresh.length === 0 || changes.length + rest.length === 0) return []
    const proven = changes.map((change) => writtenLine(sourceOf(change)))
    return [advised(refusal, fresh, [...proven, ...linesFor(rest, crossingOf(corrected, version))])]
  })
}

const crossingOf = ({ versions, head }: Model, name: string): Crossing => {
  const version = versions.find((one) => one.name === name) ?? head
  return { declared: version.changes, newer: version.successor ?? version }
}

/** With the lines to write. A hint leads to them; where there are none, it says so. */
const advised = (
  refusal: Refusal,
  differences: readonly Difference[],
  advice: readonly AdviceLine[],
): Refusal => {
  const lines = advice.map(({ text }) => text)
  if (!advice.every(({ isRemark }) => isRemark)) return { ...refusal, differences, lines }
  if (lines.length === 0 && differences.every(isHeldBack))
    return { ...refusal, differences, lines, hint: heldBackHint(refusal.version) }
  const hint =
    lines.length > 0 ? 'No change declares them by itself:' : 'No change can declare them: undo them.'
  return { ...refusal, differences, lines, hint }
}

interface Checked {
  readonly version: string
  readonly age: Age
  readonly refusal: Refusal | null
  readonly grown: readonly Difference[]
}

const checkVersion = (model: Model, version: Version, frozen: Contract | undefined, age: Age): Checked => {
  const { name } = version
  const answer = (what: string, hint: string, differences: readonly Difference[] = []): Checked => ({
    version: name,
    age,
    refusal: { version: name, file: `${name}.json`, what, hint, differences, lines: [] },
    grown: [],
  })
  if (!frozen) {
    const hint = `Run "nounkit publish ${name}" and commit the file, or leave out its "published" date.`
    return answer(`${name} is published, but its contract is missing.`, hint)
  }
  if (frozen.api !== model.name) {
    return answer(
      `it is a contract of the API "${frozen.api}", not of "${model.name}".`,
      'Restore the right file.',
    )
  }
  const { all, refused } = compareWithPromise(model, version, frozen, age)
  const newest = age === 'newest'
  if (refused.length === 0) return { version: name, age, refusal: null, grown: newest ? all : [] }
  const what = newest
    ? `${name} is published, and these differences would break its consumers:`
    : `${name} is no longer the newest version and must stay as it is, but differs:`
  return answer(what, version.successor ? olderHint(version) : newVersionHint(version), refused)
}

const newVersionHint = ({ name }: Version): string =>
  `Undo them, or declare version('${nextName(name)}') before ${name} and write into the changes of ${name}:`

const heldBackHint = (name: string): string =>
  `Undo them, or declare version('${nextName(name)}') before ${name}, which then stays as it was published.`

const olderHint = ({ name, successor }: Version): string =>
  `Undo them, or write into the changes of ${name} (what became of it on the way to ${successor?.name}):`

/** A contract whose version is not declared: a published version was dropped. */
const leftOver = (model: Model, frozen: ReadonlyMap<string, Contract>): readonly Refusal[] =>
  [...frozen.keys()]
    .filter((name) => !model.versions.some((version) => version.name === name))
    .map((version) => ({
      version,
      file: `${version}.json`,
      what: `${version} was published, but is no longer declared.`,
      hint: `Declare it again; delete the file only once ${version} is retired.`,
      differences: [],
      lines: [],
    }))

/** The list of changes and the diff of contracts give two independent verdicts; where they disagree, one of them is wrong. */
const disagreement = (model: Model, version: Version): readonly Refusal[] => {
  const { name, successor } = version
  if (!successor || !version.changes.every((change) => kindOf(change).shownInContract)) return []
  const differences = compareContracts(contractOf(model, version), contractOf(model, successor))
  const declared = judgeChanges(version).some(isBreaking)
  // A difference that a frozen version hides needs no change in its list.
  const found = differences.filter((one) => isBreaking(one) && !isHeldBack(one))
  if (declared === found.length > 0) return []
  const what = declared
    ? `the changes of ${name} say it breaks, but no consumer of ${successor.name} could tell.`
    : `the changes of ${name} say nothing breaks, but ${successor.name} differs:`
  const hint = declared ? 'Leave out the changes that change nothing.' : `Write into the changes of ${name}:`
  const refusal = { version: name, file: `${name}.json`, what, hint, differences: found, lines: [] }
  return found.length === 0
    ? [refusal]
    : [advised(refusal, found, linesFor(found, { declared: version.changes, newer: successor }))]
}
