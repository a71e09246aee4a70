import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { whenOver } from './clean-up.ts'
import { packed } from './packed.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Listed {
  readonly version: string
  /** Null for packages of other platforms, which npm asks about and does not fetch. */
  readonly tarball: Buffer | null
}

/**
 * An npm registry on this machine that has the packed packages, and everything that the checkout has installed: so tests install as a
 * user does, whether or not this machine reaches any other registry.
 */
export async function startRegistry(): Promise<string> {
  const { nounkit, creator } = await packed()
  const ours = new Map([nounkit, creator].map(readPacked).map((one) => [one.name, one]))
  const locked: { readonly [path: string]: Listed } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  ).packages
  const find = (name: string): Listed | null => {
    const entry = locked[`node_modules/${name}`]
    return ours.get(name) ?? (entry ? { ...entry, tarball: tarballOf(name) } : null)
  }
  const server = createServer((request, response) => {
    const url = `http://${request.headers.host}`
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const wanted = /^(.+)\.tgz$/.exec(path)?.[1]
    const found = find(wanted ?? path)
    if (!found || (wanted && !found.tarball)) response.writeHead(404).end('{}')
    else response.end(wanted ? found.tarball : JSON.stringify(packument(path, found, url)))
  })
  return listening(server)
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenOver(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What npm asks of a registry about a package, with the one version that there is. */
const packument = (name: string, { tarball, ...manifest }: Listed, url: string) => ({
  name,
  'dist-tags': { latest: manifest.version },
  versions: {
    [manifest.version]: {
      ...manifest,
      name,
      dist: {
        tarball: `${url}/${name}.tgz`,
        integrity: `sha512-${createHash('sha512')
          .update(tarball ?? '')
          .digest('base64')}`,
      },
    },
  },
})

const tarballs = new Map<string, Buffer | null>()
/** Of the installed folder. npm drops the first part of every path, whatever its name. */
function tarballOf(name: string): Buffer | null {
  const folder = join(root, 'node_modules', name)
  if (!existsSync(folder)) return null
  const made =
    tarballs.get(name) ??
    execFileSync('tar', ['-cf', '-', '--exclude=node_modules', '-C', dirname(folder), basename(folder)], {
      maxBuffer: 256 * 1_048_576,
    })
  tarballs.set(name, made)
  return made
}

function readPacked(path: string): Listed & { readonly name: string } {
  const manifest = execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' })
  return { ...JSON.parse(manifest), tarball: readFileSync(path) }
}
