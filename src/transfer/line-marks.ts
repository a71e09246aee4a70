/** What a line of an export says besides the fields of its row. No field can have such a name. */
export const marks = { resource: '@resource', account: '@account', version: '@version' } as const
