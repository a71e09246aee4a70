import type { Model } from '../compile/model.ts'
import { didYouMean } from '../compile/names/nearest.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'

/** Reads `--fill orders.note=TEXT`: field → the value, as text. */
export function readFill(flags: readonly string[], model: Model): ReadonlyMap<string, string> {
  return new Map(flags.map((flag) => readOne(flag, model)))
}

function readOne(flag: string, model: Model): readonly [string, string] {
  const [, resource = '', field = '', text = ''] = /^([^.=]+)\.([^.=]+)=(.*)$/s.exec(flag) ?? []
  if (resource === '')
    throw new UsageMistake(`--fill ${flag}: write resource, field and value, as in --fill orders.note=none`)
  const known = model.stored.get(resource)
  if (!known)
    throw new CommandMistake(
      `--fill ${flag}: there is no resource "${resource}". ${didYouMean(resource, model.stored.keys())}`,
    )
  if (!known.field.has(field))
    throw new CommandMistake(
      `--fill ${flag}: ${resource} has no field "${field}". ${didYouMean(field, known.field.keys())}`,
    )
  return [`${resource}.${field}`, text]
}
