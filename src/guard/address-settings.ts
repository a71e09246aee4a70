import type { Model } from '../compile/model.ts'
import { counted } from '../compile/names/plural.ts'
import { declaredTokens } from '../compile/service/tokens.ts'
import { addressRangeFault, isOrigin, issuerFault, repeated } from '../compile/shape/setting-faults.ts'
import type { ApiDeclaration, CorsDeclaration, TokenDeclaration } from '../declare/api.ts'
import type { AddressSettings } from '../declare/deployment.ts'
import { SettingMistake } from '../setting-mistake.ts'

type Environment = { readonly [name: string]: string | undefined }

export const readAddressSettings = (environment: Environment): AddressSettings => ({
  tokenIssuer: environment.NOUNKIT_TOKEN_ISSUER,
  tokenAudience: environment.NOUNKIT_TOKEN_AUDIENCE,
  corsOrigins: environment.NOUNKIT_CORS_ORIGINS,
  proxies: environment.NOUNKIT_PROXIES,
})

/** The model with the addresses of a deployment. Nothing that a contract has depends on them. */
export function withAddresses(model: Model, settings: AddressSettings): Model {
  const { declaration } = model
  if (!Object.values(settings).some(Boolean)) return model
  const tokens = tokensWith(declaredTokens(declaration), settings)
  const cors = corsWith(declaration.cors, settings.corsOrigins)
  const proxies = proxiesWith(declaration.proxies, settings.proxies)
  return {
    ...model,
    declaration: {
      ...declaration,
      ...(declaration.tokens && { tokens }),
      ...(cors && { cors }),
      ...(proxies && { proxies }),
    },
  }
}

/** A service whose tokens would all be refused is not what its operator wants. */
export function demandIssuers(declaration: ApiDeclaration, { tokenIssuer }: AddressSettings): void {
  const tokens = declaredTokens(declaration)
  if (tokenIssuer || tokens.every(({ issuer }) => issuer !== undefined)) return
  throw new SettingMistake(
    `The declaration accepts tokens of ${counted(tokens.length, 'issuer')} and leaves who that is to the deployment. Set NOUNKIT_TOKEN_ISSUER to the https: URL of each, exactly as in the claim "iss", with commas between them, or to ${tokens.map(() => off).join()} to accept API keys only.`,
  )
}

const off = 'off'

/** An empty variable counts as not set. */
function tokensWith(
  tokens: readonly TokenDeclaration[],
  { tokenIssuer, tokenAudience }: AddressSettings,
): readonly TokenDeclaration[] {
  const issuers = tokenIssuer ? entriesOf('NOUNKIT_TOKEN_ISSUER', tokenIssuer) : null
  const audiences = tokenAudience ? entriesOf('NOUNKIT_TOKEN_AUDIENCE', tokenAudience) : null
  const name = issuers ? 'NOUNKIT_TOKEN_ISSUER' : 'NOUNKIT_TOKEN_AUDIENCE'
  if (tokens.length === 0 && (issuers || audiences))
    throw new SettingMistake(
      `${name} is set, and the declaration accepts no tokens. Add tokens: {} to it, or leave ${name} out.`,
    )
  const withIssuers = issuers ? issuersWith(tokens, issuers) : tokens
  if (!audiences) return withIssuers
  if (audiences.length > 1 && audiences.length !== tokens.length)
    throw new SettingMistake(
      `NOUNKIT_TOKEN_AUDIENCE has ${audiences.length} audiences. Write one for all issuers, or one for each of the ${tokens.length} that are declared, in their order.`,
    )
  return withIssuers.map((one, at) => ({ ...one, audience: audiences[at] ?? audiences[0] ?? '' }))
}

function issuersWith(
  tokens: readonly TokenDeclaration[],
  issuers: readonly string[],
): readonly TokenDeclaration[] {
  if (issuers.length !== tokens.length)
    throw new SettingMistake(
      `NOUNKIT_TOKEN_ISSUER has ${counted(issuers.length, 'issuer')}, and the declaration has ${tokens.length}. Write one for each that is declared, in their order, or ${off} for one that is not used here.`,
    )
  const twice = repeated(issuers.filter((issuer) => issuer !== off))
  if (twice !== null)
    throw new SettingMistake(`NOUNKIT_TOKEN_ISSUER has "${twice}" twice. Each issuer is declared once.`)
  return tokens.map((declared, at) => tokensOf(declared, issuers[at] ?? off))
}

/** Keys that were declared for another issuer are not those of this one, which are found by discovery. */
function tokensOf(declared: TokenDeclaration, issuer: string): TokenDeclaration {
  if (issuer === declared.issuer) return declared
  const { issuer: replaced, jwks, ...form } = declared
  if (issuer === off) return form
  const now = { ...form, issuer, ...(replaced === undefined && jwks !== undefined && { jwks }) }
  const fault = issuerFault(now)
  if (fault) throw new SettingMistake(`NOUNKIT_TOKEN_ISSUER: ${fault.what} ${fault.hint}`)
  return now
}

function corsWith(
  declared: CorsDeclaration | undefined,
  setting: string | undefined,
): CorsDeclaration | undefined {
  if (!setting) return declared
  if (setting === off || setting === '*') return { ...declared, origins: setting === off ? [] : setting }
  const origins = entriesOf('NOUNKIT_CORS_ORIGINS', setting)
  const wrong = origins.find((origin) => !isOrigin(origin))
  if (wrong === undefined) return { ...declared, origins }
  throw new SettingMistake(
    `NOUNKIT_CORS_ORIGINS: "${wrong}" is not an origin. Write origins as browsers send them, without a path or a slash at the end, with commas between them: https://app.example,https://admin.example. Or write * alone for every origin, or ${off} for none.`,
  )
}

function proxiesWith(
  declared: readonly string[] | undefined,
  setting: string | undefined,
): readonly string[] | undefined {
  if (!setting) return declared
  if (setting === off) return []
  const ranges = entriesOf('NOUNKIT_PROXIES', setting)
  const [fault] = ranges.flatMap((range) => addressRangeFault(range) ?? [])
  if (!fault) return ranges
  throw new SettingMistake(
    `NOUNKIT_PROXIES: ${fault.what} ${fault.hint} With commas between several, or ${off} to trust none.`,
  )
}

function entriesOf(name: string, setting: string): readonly string[] {
  const entries = setting.split(',').map((entry) => entry.trim())
  if (!entries.includes('')) return entries
  throw new SettingMistake(
    `${name} is "${setting}", which has an empty entry. Write one comma between two entries.`,
  )
}
