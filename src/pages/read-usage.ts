import type { PlainRequest } from '../call/exchange.ts'
import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import type { Authenticator } from '../guard/authenticate.ts'
import { decideRetirement, type RetirementBlocker } from '../lifecycle/decide.ts'
import { collectFacts } from '../lifecycle/facts.ts'
import { reportScope, usageReport } from '../lifecycle/usage-report.ts'
import { Problem } from '../problems.ts'
import type { Store } from '../store/store.ts'
import { dayMs } from '../times.ts'
import type { Usage } from './usage-section.ts'

export interface UsageSources {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
  readonly authenticator: Authenticator
}

/** The usage that the key in the request may see; a sentence where the key is refused; null without a key. */
export const readUsage = async (
  sources: UsageSources,
  request: PlainRequest,
): Promise<Usage | string | null> => {
  const authorization = await keyIn(request)
  if (authorization === null) return null
  const scope = await scopeOf(sources, authorization, request.address)
  if (typeof scope === 'string') return scope
  const { store, model, clock } = sources
  return {
    report: await usageReport(store, model, clock.now(), scope),
    account: scope.account,
    // Blockers follow from the traffic of all accounts, so one account's key does not show them.
    blockers: scope.account === null ? await blockersOf(sources) : new Map(),
  }
}

const maxFormBytes = 16_384

const keyIn = async (request: PlainRequest): Promise<string | null> => {
  const { authorization } = request.headers
  if (authorization !== undefined) return String(authorization)
  if (request.method !== 'POST') return null
  const form = new URLSearchParams(new TextDecoder().decode(await request.readBody(maxFormBytes)))
  const key = form.get('key')?.trim()
  return key ? `Bearer ${key}` : null
}

const scopeOf = async (
  { authenticator }: UsageSources,
  authorization: string,
  address: string,
): Promise<{ readonly account: string | null } | string> => {
  try {
    const caller = await authenticator.authenticate({ headers: { authorization }, address })
    return reportScope(caller) ?? 'This key is valid, but lacks the scope operations:read.'
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return error.details.detail
    throw error
  }
}

const windowMs = 30 * dayMs

const blockersOf = async ({
  store,
  model,
  clock,
}: UsageSources): Promise<ReadonlyMap<string, readonly RetirementBlocker[]>> => {
  const found = new Map<string, readonly RetirementBlocker[]>()
  for (const version of model.versions.filter((one) => one.deprecated)) {
    const facts = await collectFacts(store, version, { now: clock.now(), windowMs })
    found.set(version.name, decideRetirement(facts).blockers)
  }
  return found
}
