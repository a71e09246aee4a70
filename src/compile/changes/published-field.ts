import type { StatesField } from '../../declare/field.ts'
import type { ContractField } from '../contract-format.ts'
import { compareSchemas } from '../schemas/schema-difference.ts'
import type { DraftField } from './view-draft.ts'

/** A field of an older version as its frozen contract has it; see `hideUnfrozen`. */
export const publishedField = (field: DraftField, contract: ContractField | undefined): DraftField => {
  if (!contract) return field
  const { request, response } = contract
  const listed = isOnlyWider(field, contract) ? (request ?? response)?.schema : undefined
  return {
    ...field,
    ...publishedPresence(field, contract),
    ...publishedScopes(field, contract),
    schema: listed ?? field.schema,
    writeOnly: field.writeOnly || !response,
    immutable: field.immutable || request?.immutable === true,
    open: field.open || response?.open === true,
    states:
      field.states && contract.states ? withoutNewMoves(field.states, contract.states.moves) : field.states,
    description: contract.description ?? '',
  }
}

type Presence = Pick<DraftField, 'required' | 'nullable' | 'readOnly' | 'default'>

/** Whether the field is sent, and whether it may be left out or null. */
const publishedPresence = (field: DraftField, { request, response }: ContractField): Presence => {
  // A field that had to be sent may be left out since: it still has to be sent.
  const isOptionalSince = request?.required === true && !field.required && !field.nullable
  // A field that is never shown may be null since: it still may not. Where it is shown, null would be a break, which is for the gate.
  const isNullableSince = request !== undefined && !response && !request.nullable && field.nullable
  // A field that was only shown may be sent since: it still may not.
  const readOnly = field.readOnly || (!request && !field.required && !field.made)
  return {
    required: field.required || isOptionalSince || (isNullableSince && request.required),
    nullable: (field.nullable && !isNullableSince) || (readOnly && response?.nullable === true),
    readOnly,
    default: isOptionalSince ? undefined : field.default,
  }
}

/**
 * Scopes that are no longer needed stay needed in the older version. Those that a change declares hold there too, and its contract keeps
 * what was published.
 */
const publishedScopes = (
  { needsScopes, publishedScopes }: DraftField,
  { needs_scopes = [] }: ContractField,
): Pick<DraftField, 'needsScopes' | 'publishedScopes'> => {
  if (publishedScopes !== null) return { needsScopes, publishedScopes: needs_scopes }
  const isRelaxed = needsScopes.every((scope) => needs_scopes.includes(scope))
  return { needsScopes: isRelaxed ? needs_scopes : needsScopes, publishedScopes }
}

/**
 * Whether every change of the field's values is additive in requests and responses, and can be hidden.
 * Nothing within a JSON value can: rows of newer versions show their new keys, and writes would lose them.
 */
const isOnlyWider = (field: DraftField, { request, response }: ContractField): boolean => {
  const sent = request ? compareSchemas(request.schema, field.schema) : []
  const shown = response ? compareSchemas(response.schema, field.schema) : []
  if ([...sent, ...shown].some(({ listed }) => listed?.kind === 'key added')) return false
  return (
    sent.every((one) => one.request === 'additive') &&
    shown.every(
      (one) => one.response === 'additive' || (one.listed?.kind === 'value added' && response?.open === true),
    )
  )
}

const withoutNewMoves = (
  states: StatesField,
  published: { readonly [from: string]: readonly string[] },
): StatesField => {
  const moves = Object.entries(states.moves).map(([from, to]) => [
    from,
    (to ?? []).filter((one) => published[from]?.includes(one)),
  ])
  return { ...states, moves: Object.fromEntries(moves.filter(([, to]) => to && to.length > 0)) }
}
