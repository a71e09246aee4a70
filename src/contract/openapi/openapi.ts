import type { Model, Version, View } from '../../compile/model.ts'
import { namingOf, words } from './document-names.ts'
import { eventSchemas, webhooksOf } from './event-schemas.ts'
import type { Part } from './field-schemas.ts'
import { headerComponents } from './headers.ts'
import { introduction } from './introduction.ts'
import { parameterComponents } from './openapi-parameters.ts'
import { openapiPaths } from './openapi-paths.ts'
import { createProblemResponses } from './problem-responses.ts'
import { problemSchemas } from './problem-schemas.ts'
import { schemasOf } from './schemas.ts'
import { withoutUnused } from './unused-components.ts'
import { usualLimits } from './usual-limits.ts'

/** Everything a consumer of one version can call, as OpenAPI 3.1, derived from the model. */
export const openapiOf = (version: Version, model: Model): object => {
  const naming = namingOf(version)
  const problems = createProblemResponses(version, model.problems)
  const paths = openapiPaths({ model, version, naming, problems })
  return withoutUnused({
    openapi: '3.1.1',
    info: infoOf(version, model),
    servers: [{ url: `/${version.name}` }],
    tags: tagsOf(version),
    'x-limits': limitsOf(version, model),
    paths,
    ...webhooksOf(version, naming),
    components: {
      schemas: {
        ...schemasOf(version, naming),
        ...eventSchemas(version, naming),
        ...problemSchemas(model.problems),
        ...problems.schemas(),
      },
      parameters: parameterComponents(version, model.limits.idempotencyHours),
      headers: headerComponents,
      responses: problems.components(),
      securitySchemes: securitySchemes(model),
    },
  })
}

const infoOf = (version: Version, model: Model): Part => ({
  title: version.title,
  version: version.name,
  ...(version.description === '' ? {} : { summary: version.description }),
  description: introduction(version, model),
  ...(version.published ? { 'x-published': version.published.date } : {}),
  ...(version.deprecated ? { 'x-deprecated': version.deprecated.date } : {}),
  ...(version.deprecated && version.sunset ? { 'x-sunset': version.sunset.date } : {}),
})

const tagsOf = (version: Version): readonly Part[] =>
  [...version.views.values()]
    .filter((view) => view.topLevel || view.under.length > 0)
    .map((view) => ({
      name: view.name,
      description: view.description === '' ? `All about ${words(view.name)}.` : view.description,
      'x-limits': { ...view.limits, ...rateOf(view) },
    }))

const rateOf = ({ rate }: View): Part =>
  rate ? { ratePerSecond: rate.perSecond, rateBurst: rate.burst } : {}

const limitsOf = (version: Version, model: Model): Part => ({
  ...usualLimits(version, model),
  idempotencyKeyCharacters: 255,
  ratePerSecond: model.rate.perSecond,
  rateBurst: model.rate.burst,
})

const securitySchemes = ({ declaration, scopes }: Model): Part => ({
  key: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of an account, sent as `Authorization: Bearer <key>`.',
    ...declaredScopes(scopes),
  },
  ...(declaration.tokens
    ? {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `An access token of ${declaration.tokens.issuer}.`,
          ...declaredScopes(scopes),
        },
      }
    : {}),
})

const declaredScopes = (scopes: Model['scopes']): Part =>
  scopes.size > 0 ? { 'x-scopes': Object.fromEntries(scopes) } : {}
