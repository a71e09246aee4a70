import type { IdempotencyDeclaration, Method, ScopeRule } from '../../declare/resource.ts'
import { type MistakeList, mistakeList } from '../mistakes.ts'
import type { AnsweredModel, View } from '../model.ts'
import { wordFrom } from '../shape/shapes.ts'
import type { ResourceDraft } from './resource-draft.ts'

/** What a resource declares, and its model where it has one: totals have none. */
export type Declared = Pick<ResourceDraft, 'declaration'> & Partial<Pick<ResourceDraft, 'model'>>

export const allMethods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export const methodShape = wordFrom(allMethods, 'a method')

export const readMethods = (draft: Declared, mistakes: MistakeList): ReadonlySet<Method> => {
  const answered = draft.model?.answered
  const possible = answered ? answeredMethods(answered) : allMethods
  const declared = draft.declaration.methods ?? possible
  const note = mistakes.at(`${draft.declaration.name}.methods`)
  for (const method of declared)
    if (!possible.includes(method))
      note(`answers has no function for ${method}.`, 'Leave the method out, or write one.')
  // A method that is misspelt was left out, and may have been meant to be GET.
  const isWhole = !mistakes.all.some(({ where }) => where.startsWith(`${draft.declaration.name}.methods[`))
  // No methods: the newest version removed the resource, and older versions still offer it.
  if (declared.length > 0 && !declared.includes('GET') && !answered && isWhole)
    note('GET is missing, and what is written must be readable.', "Add 'GET'.")
  return new Set(allMethods.filter((method) => declared.includes(method)))
}

/** A noun answered by code can offer what it has functions for. Of those, the newest version may offer fewer than older ones. */
const answeredMethods = ({ create, get, list }: AnsweredModel): readonly Method[] => [
  ...(get || list ? (['GET'] as const) : []),
  ...(create ? (['POST'] as const) : []),
]

export const readReads = ({ model: { answered } }: ResourceDraft): View['reads'] => ({
  one: !answered || answered.get !== null,
  list: !answered || answered.list !== null,
})

export const scopePattern = /^[a-z0-9][a-z0-9:._-]*$/

/** The rule of each method: its own, else read or write, else `{resource}:read` and `{resource}:write`. */
export const readScopes = (draft: Declared, mistakes: MistakeList): View['scopes'] => {
  const { name, scopes = {} } = draft.declaration
  const note = mistakes.at(`${name}.scopes`)
  for (const [key, rule] of Object.entries(scopes)) {
    if (rule !== 'public') continue
    if (key !== 'read' && key !== 'GET')
      note('a write cannot be public.', "Write 'authenticated' or the name of a scope.")
    else if (draft.declaration.shared !== true)
      note(
        `${name} cannot be public: each account has its own rows, and only a key tells which account.`,
        "Write 'authenticated', or make the resource shared.",
      )
  }
  const read: ScopeRule = scopes.read ?? `${name}:read`
  const write: ScopeRule = scopes.write ?? `${name}:write`
  return Object.freeze({
    GET: scopes.GET ?? read,
    POST: scopes.POST ?? write,
    PUT: scopes.PUT ?? write,
    PATCH: scopes.PATCH ?? write,
    DELETE: scopes.DELETE ?? write,
  })
}

export const readIdempotency = (draft: ResourceDraft, mistakes: MistakeList): View['idempotency'] => {
  const { idempotencyKey = 'optional' } = draft.declaration
  const { mode, body = 'stored' }: IdempotencyDeclaration =
    typeof idempotencyKey === 'string' ? { mode: idempotencyKey } : idempotencyKey
  const note = mistakes.at(`${draft.declaration.name}.idempotencyKey`)
  if (mode === 'required' && !readMethods(draft, mistakeList()).has('POST'))
    note('it is required, but nothing can be created.', "Add 'POST' to methods, or leave it out.")
  return Object.freeze({ mode, storesBody: body === 'stored' })
}
