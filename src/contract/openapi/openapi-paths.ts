import type { ContractOperation } from '../../compile/contract-format.ts'
import type { Model, SubCollection, Version, View } from '../../compile/model.ts'
import type { Method } from '../../declare/resource.ts'
import { type Place, pathsOf, problemsEverywhere, type Spot, spotsOf } from '../operations.ts'
import { type Naming, type OperationKind, singularName, withArticle, words } from './document-names.ts'
import { exampleOfCreate, exampleOfPatch, exampleOfReplace } from './examples.ts'
import { type Part, schemaRef } from './field-schemas.ts'
import { headerParameters, pathParameter, queryParameters } from './openapi-parameters.ts'
import type { ProblemResponses } from './problem-responses.ts'
import { successes } from './responses.ts'
import { rulesText } from './rules-text.ts'
import { curlSample, type SampleCall, typescriptSample } from './samples.ts'
import { type Sent, sentName } from './schemas.ts'

interface Scene {
  readonly model: Model
  readonly version: Version
  readonly naming: Naming
  readonly problems: ProblemResponses
}

export const openapiPaths = (scene: Scene): Part => {
  const contract = pathsOf(scene.version)
  const paths: { [path: string]: Part } = {}
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

const pathParameters = ({ view, sub, place }: Spot): Part => {
  const owner = sub ? [pathParameter('id', sub.owner())] : []
  const own = place === 'row' ? [pathParameter(sub ? 'sub_id' : 'id', view)] : []
  return owner.length + own.length === 0 ? {} : { parameters: [...owner, ...own] }
}

const operation = (scene: Scene, spot: Spot, method: Method, contract: ContractOperation): Part => {
  const { model, version, naming, problems } = scene
  const { view, sub, place } = spot
  const kind = kindOf(method, place)
  const types = [
    ...problemsEverywhere,
    ...Object.values(contract.problems).flat(),
    ...(model.declaration.tokens && contract.scope !== 'public' ? (['issuer-unavailable'] as const) : []),
  ]
  const sent = sentBy[method]
  const parameters = [...queryParameters(view, method, place), ...headerParameters(view, method, place)]
  return {
    operationId: naming.operation(kind, view, sub),
    summary: summary(kind, view, sub),
    description: rulesText(view, method, contract.scope, sub),
    tags: [view.name],
    ...deprecation(version),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(sent ? { requestBody: requestBody(sent, method, spot, naming) } : {}),
    responses: { ...successes(view, method, place, naming), ...problems.refs(types) },
    ...securityOf(model, contract.scope),
    'x-codeSamples': samples(sampleCall(spot, method, contract)),
  }
}

const kindOf = (method: Method, place: Place): OperationKind => {
  if (method === 'GET') return place === 'row' ? 'get' : 'list'
  return ({ POST: 'create', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' } as const)[method]
}

const sentBy: { readonly [M in Method]?: Sent } = { POST: 'Create', PUT: 'Replace', PATCH: 'Patch' }

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

const deprecation = ({ deprecated, sunset }: Version): Part => ({
  ...(deprecated ? { deprecated: true } : {}),
  ...(deprecated && sunset ? { 'x-sunset': sunset.date } : {}),
})

const requestBody = (sent: Sent, method: Method, { view, sub }: Spot, naming: Naming): Part => {
  const media = { schema: schemaRef(sentName(sent, view, sub, naming)) }
  const types =
    method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json']
  return {
    required: true,
    description: `At most ${view.limits.bodyBytes} bytes.`,
    content: Object.fromEntries(types.map((type) => [type, media])),
  }
}

const securityOf = (model: Model, scope: string): Part => {
  if (scope === 'public') return { security: [{}] }
  return {
    security: [{ key: [] }, ...(model.declaration.tokens ? [{ token: [] }] : [])],
    // The scope is not in the security requirement: many tools accept scopes only for OAuth.
    ...(scope === 'authenticated' ? {} : { 'x-required-scopes': [scope] }),
  }
}

const sampleCall = ({ path, view, sub }: Spot, method: Method, contract: ContractOperation): SampleCall => {
  const fromPath = sub ? view.fields.find((field) => field.field?.name === sub.by.field) : undefined
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
    needsKey: contract.scope !== 'public',
    idempotencyKey: method === 'POST' && view.idempotency.mode !== 'off',
    ifMatch: view.requireIfMatch && method !== 'GET' && method !== 'POST',
    body: bodies[method](),
  }
}

const samples = (call: SampleCall): readonly Part[] => [
  { lang: 'Shell', label: 'curl', source: curlSample(call) },
  { lang: 'TypeScript', label: 'TypeScript (fetch)', source: typescriptSample(call) },
]
