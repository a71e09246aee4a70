import type {
  Contract,
  ContractOperation,
  ContractResource,
  ContractService,
} from '../compile/contract-format.ts'

const ofContract: readonly (keyof Contract)[] = ['api', 'title', 'lifecycle', 'service', 'resources', 'paths']
const ofService: readonly (keyof ContractService)[] = [
  'authentication',
  'request_media_types',
  'response_media_types',
  'envelopes',
  'idempotency',
  'limits',
  'rate',
  'headers',
  'problems',
]
const ofResource: readonly (keyof ContractResource)[] = [
  'fields',
  'relations',
  'include',
  'filters',
  'sorts',
  'default_sort',
  'limits',
  'idempotency',
  'if_match',
  'unique',
  'rules',
  'shared',
  'cache_control',
]
const ofOperation: readonly (keyof ContractOperation)[] = [
  'resource',
  'scope',
  'success',
  'parameters',
  'headers',
  'problems',
]

/** The first required member that a contract lacks, such as `resources.orders.fields`; null when it is complete. */
export const missingMember = (contract: Contract): string | null => {
  const top = lacking(contract, ofContract, '')
  if (top) return top
  const found = [
    lacking(contract.service, ofService, 'service.'),
    ...Object.entries(contract.resources).map(([name, one]) =>
      lacking(one, ofResource, `resources.${name}.`),
    ),
    ...Object.entries(contract.paths).flatMap(([path, methods]) =>
      Object.entries(methods ?? {}).map(([method, one]) =>
        lacking(one, ofOperation, `paths.${path}.${method}.`),
      ),
    ),
  ]
  return found.find((one) => one !== null) ?? null
}

const lacking = (value: object, names: readonly string[], at: string): string | null => {
  const members = value as { readonly [name: string]: unknown } | null
  const missing = names.find((name) => members?.[name] === undefined || members[name] === null)
  return missing === undefined ? null : `${at}${missing}`
}
