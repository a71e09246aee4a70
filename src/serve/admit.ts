import type { Method } from '../declare/resource.ts'
import { problem } from '../problems.ts'
import type { PlainRequest } from '../request/exchange.ts'
import type { Target } from '../request/route.ts'
import type { Engine } from './engine.ts'

const collectionMethods: readonly Method[] = ['GET', 'POST']
const oneMethods: readonly Method[] = ['GET', 'PUT', 'PATCH', 'DELETE']

export function allowedMethods(target: Target): readonly string[] {
  const possible = target.id === null ? collectionMethods : oneMethods
  const offered = possible.filter((method) => target.view.methods.has(method))
  return offered.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).concat('OPTIONS')
}

export function refuseMethod(target: Target, method: string): void {
  const allowed = allowedMethods(target)
  if (allowed.includes(method)) return
  throw problem('method-not-allowed', {
    detail: `${method.slice(0, 20)} is not offered here. Use ${allowed.join(', ')}.`,
    headers: { Allow: allowed.join(', ') },
  })
}

export function refuseRetired(engine: Engine, target: Target): void {
  if (engine.retirement.isRetired(target.version)) throw versionRetired(target.version.name, engine)
}

export function versionRetired(name: string, engine: Engine): Error {
  const version = engine.model.versions.find((one) => one.name === name)
  const successor = version?.successor?.name ?? null
  return problem('version-retired', {
    detail: successor
      ? `Version ${name} has been retired. Its successor is ${successor}.`
      : `Version ${name} has been retired.`,
    members: successor
      ? { successor: `/${successor}`, guide: `/docs/migrations/${name}-to-${successor}` }
      : {},
  })
}

/** JSON is all that resources are shown in. */
export function refuseUnacceptable(request: PlainRequest): void {
  const accept = request.headers.accept
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return
  const ranges = String(accept).toLowerCase().split(',')
  const offered = ranges.some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    if (parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter))) return false
    return type === '*/*' || type === 'application/*' || type === 'application/json' || type === ''
  })
  if (offered) return
  throw problem('not-acceptable', { detail: 'Resources are shown as application/json only.' })
}
