import type { Model, Resource } from '../compile/model.ts'
import { didYouMean } from '../compile/names/nearest.ts'
import { inReferenceOrder } from '../transfer/resource-order.ts'
import { CommandMistake } from './command-mistake.ts'

/** The resources that `--resource` names, in the order in which their rows can be inserted; all where it names none. */
export function namedResources(model: Model, names: readonly string[]): readonly Resource[] {
  const all = inReferenceOrder([...model.stored.values()].filter(({ engineMade }) => !engineMade))
  const known = all.map(({ name }) => name)
  for (const name of names) {
    if (known.includes(name)) continue
    if (model.resources.get(name)?.answered)
      throw new CommandMistake(`${name} is answered by code: the store has no rows of it.`)
    const counted = model.head.views.get(name)?.totals?.of().name
    if (counted !== undefined)
      throw new CommandMistake(`${name} counts rows of ${counted}, and has none of its own. Name ${counted}.`)
    if (model.stored.has(name))
      throw new CommandMistake(
        `${name} belongs to the engine itself, and its rows mean nothing elsewhere. nounkit copy and nounkit backup move them with all others.`,
      )
    throw new CommandMistake(`There is no resource "${name}". ${didYouMean(name, known)}`)
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
}
