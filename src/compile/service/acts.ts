/** What is recorded besides changes of rows, also where no audit is declared: what each says of itself, and whether it is of one account or of the whole store. */
export const acts = {
  'key-created': { of: 'account', says: 'An API key was made.' },
  'key-rotated': { of: 'account', says: 'An API key got a new secret.' },
  'key-revoked': { of: 'account', says: 'The API keys of a name were revoked.' },
  'key-scopes-added': { of: 'account', says: 'An API key got more scopes.' },
  'subject-ended': { of: 'account', says: 'All keys and webhook endpoints of a subject were ended.' },
  'consumer-contacted': {
    of: 'account',
    says: 'It was noted that a consumer was told of the end of a version.',
  },
  'delivery-retried': { of: 'account', says: 'An operator had an event delivered once more.' },
  'job-retried': { of: 'account', says: 'An operator had a job run at once.' },
  'account-exported': { of: 'account', says: 'All rows of the account were exported.' },
  'issuer-ended': {
    of: 'store',
    says: 'All webhook endpoints that rest on tokens of an issuer were ended.',
  },
  'version-retired': { of: 'store', says: 'A version was retired.' },
  'retirement-withdrawn': { of: 'store', says: 'The retirement of a version was taken back.' },
  'operator-created': { of: 'store', says: 'An operator of the console was made.' },
  'operator-removed': { of: 'store', says: 'An operator of the console was removed.' },
  'operator-linked': { of: 'store', says: 'An operator of the console got a new one-time link.' },
  'operator-password-set': { of: 'store', says: 'An operator of the console chose a password.' },
  'operator-signed-in': { of: 'store', says: 'An operator signed in to the console.' },
  'operator-refused': { of: 'store', says: 'Somebody tried to sign in to the console, and was refused.' },
  'operator-signed-out': { of: 'store', says: 'An operator signed out of the console.' },
  'account-deletion-begun': { of: 'store', says: 'The deletion of an account was begun.' },
  'account-deleted': { of: 'store', says: 'An account was deleted.' },
} as const

export type Act = keyof typeof acts

/** The acts that entries of an account can have. */
export const actsOfAccounts: readonly Act[] = (Object.keys(acts) as Act[]).filter(
  (act) => acts[act].of === 'account',
)
