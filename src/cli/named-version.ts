import type { Model, Version } from '../compile/model.ts'
import { nearest } from '../compile/nearest.ts'
import { CommandMistake } from './command-mistake.ts'

/** The version with the name that the command was given. */
export function namedVersion(model: Model, name: string | undefined): Version {
  const names = model.versions.map((version) => version.name)
  const version = model.versions.find((one) => one.name === name)
  if (version) return version
  const near = nearest(name ?? '', names)
  const what = name === undefined ? 'Which version?' : `There is no version "${name}".`
  throw new CommandMistake(`${what} ${near ? `Did you mean ${near}? ` : ''}There are ${names.join(', ')}.`)
}
