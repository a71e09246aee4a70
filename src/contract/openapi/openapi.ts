import type { Model, Version } from '../../compile/model.ts'
import { declaredTokens } from '../../compile/service/tokens.ts'
import { namingOf } from './document-names.ts'
import { tagsOf } from './document-tags.ts'
import { eventSchemas, webhooksOf } from './event-schemas.ts'
import type { DocumentPart } from './field-schemas.ts'
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
    ...tagsOf(version),
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

const infoOf = (version: Version, model: Model): DocumentPart => ({
  title: version.title,
  version: version.name,
  ...(version.description === '' ? {} : { summary: version.description }),
  description: introduction(version, model),
  ...(version.published ? { 'x-published': version.published.date } : {}),
  ...(version.deprecated ? { 'x-deprecated': version.deprecated.date } : {}),
  ...(version.deprecated && version.sunset ? { 'x-sunset': version.sunset.date } : {}),
})

const limitsOf = (version: Version, model: Model): DocumentPart => ({
  ...usualLimits(version, model),
  idempotencyKeyCharacters: 255,
  ratePerSecond: model.rate.perSecond,
  rateBurst: model.rate.burst,
})

const securitySchemes = ({ declaration, scopes, soleAccount }: Model): DocumentPart => ({
  key: {
    type: 'http',
    scheme: 'bearer',
    description: `An API key${soleAccount === null ? ' of an account' : ''}, sent as \`Authorization: Bearer <key>\`.`,
    ...declaredScopes(scopes),
  },
  ...(declaration.tokens
    ? {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: tokenText(declaration),
          ...declaredScopes(scopes),
        },
      }
    : {}),
})

/** The issuers of this deployment; a declaration may leave them to its settings. */
const tokenText = (declaration: Model['declaration']): string => {
  const issuers = declaredTokens(declaration).flatMap(({ issuer }) => issuer ?? [])
  return issuers.length > 0 ? `An access token of ${issuers.join(' or ')}.` : 'An access token.'
}

const declaredScopes = (scopes: Model['scopes']): DocumentPart =>
  scopes.size > 0 ? { 'x-scopes': Object.fromEntries(scopes) } : {}
