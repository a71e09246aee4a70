import type { Model, Resource } from '../compile/model.ts'
import { didYouMean } from '../compile/names/nearest.ts'
import type { Hooks, Rejection } from '../declare/hooks.ts'
import { type DeclaredResource, resourceName } from '../declare/relation.ts'
import { kinds } from '../kinds/kinds.ts'
import type { ProblemKind } from '../problems.ts'

export type Asked = 'find' | 'list' | 'count' | 'exists' | 'sum' | 'create' | 'update' | 'remove'

/**
 * Checks the names that a hook uses, when it uses them. An unknown name is a mistake of the API's author: the caller gets a 500,
 * and the error in the log says what was called and which name was probably meant.
 */
export interface HookNames {
  resource(asked: Asked, given: string | DeclaredResource): Resource
  /** All of an object's keys must be fields. */
  fields(asked: Asked, resource: Resource, given: object): void
  summand(resource: Resource, field: string): void
  /** The error for another mistake in a call. */
  mistake(asked: Asked, resource: Resource, what: string): Error
  /** An error of something that the hook has called, which says which hook it was. */
  about(error: Error): Error
  /** The declared problem of a refusal. Its field must be a field of the hook's own resource. */
  problem(rejection: Rejection): ProblemKind
}

export const hookNames = (model: Model, of: Resource, where: string): HookNames => {
  const fail = (call: string, what: string, hint: string) =>
    new Error(`${call}: ${what}${hint === '' ? '' : ` ${hint}`} (${where} of ${of.name})`)
  return {
    resource(asked, given) {
      const name = resourceName(given)
      const resource = model.resources.get(name)
      if (resource?.answered)
        throw fail(
          `${asked}('${name}', …)`,
          `rows of ${name} are answered by code, and not stored.`,
          'Call that code itself.',
        )
      if (resource) return resource
      const hint = didYouMean(name, model.resources.keys())
      throw fail(`${asked}('${name}', …)`, `there is no resource "${name}".`, hint)
    },
    fields(asked, resource, given) {
      const unknown = unknownKey(resource, given)
      if (unknown === null) return
      const what = `"${unknown}" is not a field of ${resource.name}.`
      throw fail(`${asked}('${resource.name}', …)`, what, didYouMean(unknown, resource.field.keys()))
    },
    summand(resource, field) {
      const summable = resource.fields.filter(({ kind }) => kinds[kind].sum !== null).map(({ name }) => name)
      if (summable.includes(field)) return
      const what = `"${field}" is not a field of ${resource.name} that can be summed.`
      throw fail(`sum('${resource.name}', '${field}', …)`, what, didYouMean(field, summable))
    },
    mistake: (asked, resource, what) => fail(`${asked}('${resource.name}', …)`, what, ''),
    about: (error) => new Error(`${error.message} (${where} of ${of.name})`, { cause: error }),
    problem({ code, field }) {
      const kind = of.problems.get(code)
      if (kind && (field === undefined || of.field.has(field))) return kind
      const call = `reject({ code: '${code}' })`
      if (kind && field !== undefined) {
        throw fail(call, `"${field}" is not a field of ${of.name}.`, didYouMean(field, of.field.keys()))
      }
      const what = `${of.name} does not declare this problem.`
      const declare = `Write problems: { '${code}': { status: 409, title: '…' } } into resource('${of.name}', …).`
      const near = of.problems.size > 0 ? `${didYouMean(code, of.problems.keys())} ` : ''
      throw fail(call, what, near + declare)
    },
  }
}

/** An unknown field would be ignored silently, so it is an error. `row` is what a `before` hook returned, or the row that it was given. */
export const checkHooked = (row: object, of: Resource, hook: keyof Hooks<never>): void => {
  const unknown = unknownKey(of, row)
  if (unknown === null) return
  const hint = didYouMean(unknown, of.field.keys())
  throw new Error(`hook ${hook} of ${of.name} set "${unknown}", which is not a field. ${hint}`)
}

export const unknownKey = ({ field }: Resource, given: object): string | null =>
  Object.keys(given).find((name) => !field.has(name)) ?? null
