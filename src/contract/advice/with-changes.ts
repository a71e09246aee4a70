import { compileApi } from '../../compile/compile.ts'
import type { Contract } from '../../compile/contract-format.ts'
import { Mistakes } from '../../compile/mistakes.ts'
import type { Model } from '../../compile/model.ts'
import type { Change } from '../../declare/change.ts'
import { type VersionDeclaration, version } from '../../declare/version.ts'

/**
 * The API with these changes written into that version; the newest version gets a successor first.
 * Null where that does not compile.
 */
export const withChanges = (
  { declaration }: Model,
  contracts: ReadonlyMap<string, Contract>,
  name: string,
  changes: readonly Change[],
): Model | null => {
  const versions = withSuccessor(declaration.versions ?? [version('v1')], name).map((one) =>
    one.name === name ? { ...one, changes: [...one.changes, ...changes] } : one,
  )
  try {
    return compileApi({ ...declaration, versions }, { contracts })
  } catch (error) {
    if (error instanceof Mistakes) return null
    throw error
  }
}

/** The name of the successor. */
export const nextName = (name: string): string => `v${Number(name.slice(1)) + 1}`

const withSuccessor = (
  versions: readonly VersionDeclaration[],
  name: string,
): readonly VersionDeclaration[] =>
  versions[0]?.name === name ? [version(nextName(name)), ...versions] : versions
