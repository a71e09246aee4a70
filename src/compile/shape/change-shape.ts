import type { Change } from '../../declare/change.ts'
import { changeKinds } from '../change-kinds/change-kinds.ts'
import { renameField } from '../change-kinds/rename-field.ts'
import { builderOf } from '../changes/report.ts'
import type { MistakeList } from '../mistakes.ts'
import { soundOptions, textShape } from './shapes.ts'

/** The well-formed changes of a version; a mistake is added for each of the others. */
export const soundChanges = (
  declared: readonly unknown[],
  version: string,
  mistakes: MistakeList,
): readonly Change[] =>
  Array.from(declared, (change, index) =>
    soundChange(change, `${version}.changes[${index}]`, mistakes),
  ).filter((change) => change !== undefined)

const soundChange = (declared: unknown, where: string, mistakes: MistakeList): Change | undefined => {
  if (isChange(declared)) {
    const { options, parameters } = changeKinds[declared.kind]
    const table = { ...options, may: { ...options.may, why: textShape }, ofArguments: parameters }
    const whole = `${where} ${builderOf(declared)}`
    return soundOptions({ ...declared }, table, whole, mistakes) as Change | undefined
  }
  mistakes.add(
    where,
    'this is not a change.',
    Array.isArray(declared)
      ? 'Put what is in this list into the list around it: ...list.'
      : `Write a call, such as ${renameField.options.form}.`,
  )
  return undefined
}

const isChange = (value: unknown): value is Change =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  Object.hasOwn(changeKinds, String(value.kind))
