import type { Model, Version } from '../compile/model.ts'
import { nearest } from '../compile/names/nearest.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'

/** The version with the name that the command was given. */
export function namedVersion(model: Model, name: string | undefined): Version {
  const names = model.versions.map((version) => version.name)
  const version = model.versions.find((one) => one.name === name)
  if (version) return version
  const near = nearest(name ?? '', names)
  const known = `There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}.`
  if (name === undefined) throw new UsageMistake(`Which version? ${known}`)
  throw new CommandMistake(`There is no version "${name}". ${near ? `Did you mean "${near}"? ` : ''}${known}`)
}
