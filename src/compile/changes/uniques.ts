import type { MistakeList } from '../mistakes.ts'
import type { Version, View } from '../model.ts'

/**
 * A field that an older version cannot send has the same value in all rows it creates. In a unique set those rows collide,
 * although its consumers did nothing wrong.
 */
export const checkUniques = (version: Version, mistakes: MistakeList): void => {
  for (const view of version.views.values()) {
    if (!view.methods.has('POST') || setByHook(view)) continue
    for (const set of view.resource.uniques) checkSet(view, set, mistakes)
  }
}

/** A hook is expected to set a different value in each row. */
const setByHook = ({ resource }: View): boolean => resource.hooks.beforeCreate !== undefined

const checkSet = (view: View, set: readonly string[], mistakes: MistakeList): void => {
  const hidden = set.filter((name) => !isSent(view, name))
  // NULL never collides.
  if (hidden.some((name) => unsentValue(view, name) === null)) return
  const omitted = set.filter((name) => mayBeOmitted(view, name))
  const others = set.filter((name) => !hidden.includes(name) && !omitted.includes(name))
  const refused =
    others.length === 0 ? 'the second is refused' : `rows alike in ${others.join(', ')} are refused`
  for (const name of [...hidden, ...omitted]) {
    const { name: older } = view.version
    const value = JSON.stringify(unsentValue(view, name))
    const so = hidden.includes(name)
      ? `${older} cannot send ${name}, so each row it creates has ${value} there`
      : `${older} may leave out ${name}, so each row without it has ${value} there`
    mistakes.add(
      `${view.resource.name}.unique`,
      `${so}, and ${refused}.`,
      `Make ${name} optional without a default (what is unset never collides), set it in a beforeCreate hook, or make it from what ${older} sends by a custom change.`,
    )
  }
}

/** Whether a write through the view can violate a unique set. A field that it cannot send is NULL, unless a hook sets it. */
export const canCollide = (view: View): boolean => {
  const { hasHooks, uniques } = view.resource
  return uniques.some((set) => hasHooks.create || hasHooks.update || set.some((name) => isSent(view, name)))
}

/** Directly, or through a custom change. */
const isSent = ({ fields, customs }: View, name: string): boolean =>
  [...fields, ...customs.flatMap(({ newer }) => newer)].some(({ field }) => field?.name === name)

const unsentValue = ({ whenAbsent, resource }: View, name: string): unknown =>
  whenAbsent.get(name) ?? resource.field.get(name)?.default ?? null

/** Whether leaving the field out stores a value, other than a default that the version itself declares. */
const mayBeOmitted = ({ fields, whenAbsent }: View, name: string): boolean => {
  const shown = fields.find(({ field }) => field?.name === name)
  return shown !== undefined && !shown.required && shown.default === undefined && whenAbsent.has(name)
}
