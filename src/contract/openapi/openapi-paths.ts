import type { ContractOperation } from '../../compile/contract-format.ts'
import type { Model, SubCollection, Version, View } from '../../compile/model.ts'
import { bodyMediaTypes } from '../../compile/service/media-types.ts'
import type { Method, ScopeRule } from '../../declare/resource.ts'
import {
  type OperationPlace,
  pathsOf,
  problemsEverywhere,
  type Spot,
  scopeRulesOf,
  spotsOf,
} from '../operations.ts'
import { orListName } from './bulk-schemas.ts'
import { type DocumentNames, type OperationKind, singularName, withArticle, words } from './document-names.ts'
import { tagOf } from './document-tags.ts'
import { exampleOfCreate, exampleOfPatch, exampleOfReplace } from './examples.ts'
import { type DocumentPart, schemaRef } from './field-schemas.ts'
import { headerParameters, pathParameter, queryParameters } from './openapi-parameters.ts'
import type { ProblemResponses } from './problem-responses.ts'
import { successes } from './responses.ts'
import { rulesText } from './rules-text.ts'
import { clientSample, curlSample, type SampleCall } from './samples.ts'
import { type SentForm, sentName } from './schemas.ts'

interface Scene {
  readonly model: Model
  readonly version: Version
  readonly naming: DocumentNames
  readonly problems: ProblemResponses
}

export const openapiPaths = (scene: Scene): DocumentPart => {
  const contract = pathsOf(scene.version)
  const paths: { [path: string]: DocumentPart } = {}
  for (const spot of spotsOf(scene.version)) {
    const operations = contract[spot.path]
    if (!operations) continue
    paths[spot.path] = {
      ...pathParameters(spot),
      ...Object.fromEntries(
        Object.entries(operations).map(([method, contract]) => [
          method.toLowerCase(),
          operation(scene, spot, method as Method, contract),
        ]),
      ),
    }
  }
  return paths
}

const pathParameters = ({ view, sub, place }: Spot): DocumentPart => {
  const owner = sub ? [pathParameter('id', sub.owner())] : []
  const own = place === 'row' ? [pathParameter(sub ? 'sub_id' : 'id', view)] : []
  return owner.length + own.length === 0 ? {} : { parameters: [...owner, ...own] }
}

const operation = (scene: Scene, spot: Spot, method: Method, contract: ContractOperation): DocumentPart => {
  const { model, version, naming, problems } = scene
  const { view, sub, place } = spot
  const kind = kindOf(method, place)
  const rules = scopeRulesOf(view, method, sub)
  const types = [
    ...problemsEverywhere,
    ...Object.values(contract.problems).flat(),
    ...(model.declaration.tokens && needsKey(rules) ? (['issuer-unavailable'] as const) : []),
  ]
  const sent = sentBy[method]
  const parameters = [...queryParameters(view, method, place), ...headerParameters(view, method, place)]
  return {
    operationId: naming.operation(kind, view, sub),
    summary: summary(kind, view, sub),
    description: rulesText(view, method, contract.scope, sub),
    tags: [tagOf(view, sub)],
    ...deprecation(version),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(sent ? { requestBody: requestBody(sent, method, spot, naming) } : {}),
    responses: { ...successes(view, method, place, naming), ...problems.refs(types) },
    ...securityOf(model, rules),
    'x-codeSamples': samples(sampleCall(spot, method)),
  }
}

const kindOf = (method: Method, place: OperationPlace): OperationKind => {
  if (method === 'GET') return place === 'row' ? 'get' : 'list'
  return ({ POST: 'create', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' } as const)[method]
}

const sentBy: { readonly [M in Method]?: SentForm } = { POST: 'Create', PUT: 'Replace', PATCH: 'Patch' }

const verbs: { readonly [K in OperationKind]: string } = {
  list: 'List',
  create: 'Create',
  get: 'Fetch',
  replace: 'Replace',
  patch: 'Change',
  delete: 'Delete',
}

const summary = (kind: OperationKind, view: View, sub: SubCollection | null): string => {
  const name = sub ? sub.segment : view.name
  const noun = kind === 'list' ? `${sub ? 'the ' : ''}${words(name)}` : withArticle(singularName(name))
  return `${verbs[kind]} ${noun}${sub ? ` of ${withArticle(singularName(sub.owner().name))}` : ''}`
}

const deprecation = ({ deprecated, sunset }: Version): DocumentPart => ({
  ...(deprecated ? { deprecated: true } : {}),
  ...(deprecated && sunset ? { 'x-sunset': sunset.date } : {}),
})

const requestBody = (
  sent: SentForm,
  method: Method,
  { view, sub }: Spot,
  naming: DocumentNames,
): DocumentPart => {
  const takesList = sent === 'Create' && view.bulk
  const name = sentName(sent, view, sub, naming)
  const media = { schema: schemaRef(takesList ? orListName(name) : name) }
  const types = bodyMediaTypes[method === 'PATCH' ? 'PATCH' : 'POST']
  return {
    required: true,
    description: `At most ${view.limits.bodyBytes} bytes.${takesList ? ` A row, or a list of up to ${view.limits.bulkRows} rows, of which all are created or none.` : ''}`,
    content: Object.fromEntries(types.map((type) => [type, media])),
  }
}

const needsKey = (rules: readonly ScopeRule[]): boolean => rules.some((rule) => rule !== 'public')

const securityOf = (model: Model, rules: readonly ScopeRule[]): DocumentPart => {
  if (!needsKey(rules)) return { security: [{}] }
  const scopes = rules.filter((rule) => rule !== 'public' && rule !== 'authenticated')
  return {
    security: [{ key: [] }, ...(model.declaration.tokens ? [{ token: [] }] : [])],
    // The scopes are not in the security requirement: many tools accept scopes only for OAuth.
    ...(scopes.length === 0 ? {} : { 'x-required-scopes': scopes }),
  }
}

const sampleCall = ({ path, view, sub }: Spot, method: Method): SampleCall => {
  const fromPath = sub ? view.fields.find((field) => field.field?.name === sub.by?.field) : undefined
  const bodies = {
    POST: () => exampleOfCreate(view, fromPath) ?? {},
    PUT: () => exampleOfReplace(view, fromPath) ?? {},
    PATCH: () => exampleOfPatch(view) ?? {},
    GET: () => undefined,
    DELETE: () => undefined,
  }
  return {
    method,
    path: `/${view.version.name}${path}`,
    needsKey: needsKey(scopeRulesOf(view, method, sub)),
    idempotencyKey: method === 'POST' && view.idempotency.mode !== 'off',
    ifMatch: view.requireIfMatch && method !== 'GET' && method !== 'POST',
    body: bodies[method](),
    by: view.totals?.by.keys().next().value ?? null,
  }
}

const samples = (call: SampleCall): readonly DocumentPart[] => [
  { lang: 'Shell', label: 'curl', source: curlSample(call) },
  { lang: 'TypeScript', label: 'TypeScript (nounkit/client)', source: clientSample(call) },
]
