import type { Contract, ContractField } from '../../compile/contract-format.ts'
import { breaking, type Differences, heldBack, matched, sayAt } from './difference.ts'

/**
 * A PUT replaces the fields that are both readable and writable, and keeps others that are not sent. A field that becomes both
 * is no longer kept: a PUT without it is refused, or resets it.
 */
export const compareReplacements = (older: Contract, newer: Contract): Differences =>
  matched(older.resources, newer.resources)
    .both.filter(([name]) => hasPut(older, name) && hasPut(newer, name))
    .flatMap(([resource, from, to]) =>
      matched(from.fields, to.fields)
        .both.filter(([, before, after]) => isKept(before) && !isKept(after))
        .map(([name, before, after]) => {
          const { required, default: value = null } = after.request ?? {}
          const now = required ? 'is now refused' : `now resets it to ${JSON.stringify(value)}`
          const say = sayAt('field', `${resource}.${name}`, { resource, name, from: before, to: after })
          return say(breaking, `a PUT without it kept it and ${now}`, heldBack.replacement)
        }),
    )

const hasPut = ({ paths }: Contract, resource: string): boolean =>
  Object.values(paths).some(({ PUT }) => PUT?.resource === resource)

/** For some callers at least: those without a scope that the field needs do not send it. */
const isKept = ({ request, response, states, needs_scopes }: ContractField): boolean =>
  !request || !response || request.immutable || states !== undefined || needs_scopes !== undefined
