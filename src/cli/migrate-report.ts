import { counted } from '../compile/names/plural.ts'
import { migrationSql } from '../migrate/migration.ts'
import type { Step } from '../migrate/migration-step.ts'
import { type Release, releaseSentence } from '../migrate/release.ts'

/** What a migration did, or would do. */
interface Report {
  readonly dryRun: boolean
  readonly steps: readonly Step[]
  /** The steps that are not applied. */
  readonly refused: ReadonlySet<Step>
  /** What was done besides, to follow a declaration that is not published, a sentence each. */
  readonly notes: readonly string[]
  /** What was lost with that, or would be, a sentence each. */
  readonly losses: readonly string[]
  /** Null where nothing is published. */
  readonly release: Release | null
}

/** Prints the report. Returns the exit code. */
export function reportMigration(
  report: Report,
  { json, ok }: { readonly json: boolean; readonly ok: boolean },
): number {
  console.log(json ? JSON.stringify({ ok, ...forMachines(report) }, null, 2) : textOf(report))
  return ok ? 0 : 1
}

const forMachines = ({ dryRun, steps, refused, notes, losses, release }: Report): object => ({
  dryRun,
  ...release,
  steps: steps.map((step) => ({
    why: step.why,
    sql: step.sql,
    refused: refused.has(step),
    locks: step.locks,
    survived: step.additive,
  })),
  notes,
  losses,
})

function textOf({ dryRun, steps, refused, notes, losses, release }: Report): string {
  // A dry run shows all steps, and notes say in other words what those to rows and names are for.
  const all = steps.length + (dryRun ? 0 : notes.length)
  if (all + notes.length + losses.length === 0)
    return [
      'The store fits the declaration. Nothing to do.',
      ...(dryRun && release ? [releaseSentence(release)] : []),
    ].join('\n')
  return [
    ...(steps.length > 0 ? [migrationSql(steps)] : []),
    ...notes.map((note) => `${note}.`),
    ...losses,
    outcome(all, refused.size, dryRun),
    ...(dryRun && release ? [releaseSentence(release)] : []),
  ].join('\n')
}

const outcome = (steps: number, refused: number, dryRun: boolean): string => {
  if (refused > 0) {
    const whose = steps === 1 ? 'it' : `${refused} of the ${counted(steps, 'step')}`
    return `Nothing would be applied, because ${whose} cannot be done, as the mark says. See docs/how-to/migrations.md#what-is-refused.`
  }
  if (steps === 0) return dryRun ? 'Nothing else would be changed.' : 'Nothing else was changed.'
  if (dryRun) return `${counted(steps, 'step')} would be applied.`
  return `${counted(steps, 'step')} ${steps === 1 ? 'was' : 'were'} applied.`
}
