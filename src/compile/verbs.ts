/** Words that say what to do where a name should say what there is. */

const alwaysVerbs = [
  'get', 'create', 'update', 'delete', 'remove', 'add', 'search', 'list', 'find', 'fetch', 'cancel', 'edit', 'modify',
  'retrieve', 'insert', 'destroy', 'save', 'make', 'do', 'set', 'send', 'submit', 'approve', 'reject', 'confirm', 'activate',
  'deactivate', 'enable', 'disable', 'validate', 'verify', 'calculate', 'compute', 'generate', 'execute', 'assign', 'unassign',
  'subscribe', 'unsubscribe', 'upsert', 'query', 'show', 'put', 'handle', 'perform',
]

/** Verbs only where they end a name: as a first word they are also nouns (`import-jobs`, `order-items`). */
const verbsAtEnd = [
  'archive', 'publish', 'unpublish', 'export', 'import', 'sync', 'login', 'logout', 'refresh', 'complete', 'pay', 'ship',
  'refund', 'process', 'run', 'start', 'stop', 'pause', 'resume', 'merge', 'move', 'copy', 'clone', 'upload', 'download',
  'resend', 'register', 'reset', 'restore', 'close', 'open', 'lock', 'unlock', 'undo', 'retry', 'place', 'checkout',
]

const atStart = new Set(alwaysVerbs)
const atEnd = new Set([...alwaysVerbs, ...verbsAtEnd])

/** What the doing leaves behind, as a plural noun. */
const nouns = new Map([
  ['cancel', 'cancellations'], ['approve', 'approvals'], ['reject', 'rejections'], ['confirm', 'confirmations'],
  ['submit', 'submissions'], ['activate', 'activations'], ['deactivate', 'deactivations'], ['verify', 'verifications'],
  ['validate', 'validations'], ['publish', 'publications'], ['assign', 'assignments'], ['subscribe', 'subscriptions'],
  ['login', 'sessions'], ['logout', 'sessions'], ['pay', 'payments'], ['ship', 'shipments'], ['register', 'registrations'],
  ['create', 'creations'], ['delete', 'deletions'], ['remove', 'removals'], ['calculate', 'calculations'], ['open', 'openings'],
  ['get', 'reads'], ['add', 'additions'], ['find', 'finds'], ['do', 'tasks'], ['close', 'closures'], ['undo', 'reversals'],
])

export const isVerbAtStart = (word: string): boolean => atStart.has(word)
export const isVerbAtEnd = (word: string): boolean => atEnd.has(word)
export const nounOf = (verb: string): string | null => nouns.get(verb) ?? null
