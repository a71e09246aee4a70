import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { jwt } from 'better-auth/plugins'
import { SharedFile } from './shared-file.ts'

/** What everybody who has signed up may do. Whose bookings they change is a rule in api.ts. */
const scopes = 'rooms:read bookings:read bookings:write notices:read free-hours:read events:read'

/** Sign-up and login. Its tables are in the file of the API, beside those of rooms and bookings. */
export async function openAuth(file: string, url: string) {
  const options = {
    database: { dialect: new SharedFile(file), type: 'sqlite' as const, transaction: true },
    baseURL: url,
    basePath: '/auth',
    secret: process.env.AUTH_SECRET ?? keptSecret(`${file}.secret`),
    emailAndPassword: { enabled: true },
    plugins: [
      jwt({
        jwt: {
          issuer: url,
          audience: url,
          definePayload: ({ user }) => ({ name: user.name, scope: scopes }),
        },
      }),
    ],
  } satisfies BetterAuthOptions
  const { runMigrations } = await getMigrations(options)
  await runMigrations()
  return betterAuth(options)
}

/** Sessions end with another secret, and the keys that sign tokens cannot be read any more: so one is made once, and kept. */
function keptSecret(path: string): string {
  if (!existsSync(path)) writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600 })
  return readFileSync(path, 'utf8')
}
