import { didYouMean } from '../compile/names/nearest.ts'
import { UsageMistake } from './command-mistake.ts'

/** The part of a command that its first word names: `create` of `nounkit keys create`. `example` is a call that does something. */
export function namedAction<A>(
  actions: { readonly [name: string]: A },
  command: string,
  name: string,
  example: string,
): A {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action) return action
  const names = Object.keys(actions)
  throw new UsageMistake(
    name === ''
      ? `What to do with ${command}? Write one of ${names.join(', ')} after it, as in: nounkit ${command} ${example}`
      : `"${command} ${name}" is not a command. ${didYouMean(name, names)}`,
  )
}
