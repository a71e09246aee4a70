// Copies the programs of other projects that pages use into dist/vendor, with their licences, so that nobody has to install these projects.
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export function vendor(root, dist) {
  const modules = join(root, 'node_modules')
  const scalar = join(modules, '@scalar/api-reference')
  const graphviz = join(modules, '@hpcc-js/wasm-graphviz')
  const browser = join(scalar, 'dist/browser')
  const folder = join(dist, 'vendor')
  mkdirSync(folder)
  cpSync(join(browser, 'standalone.esm.js'), join(folder, 'reference/standalone.esm.js'))
  cpSync(join(browser, 'chunks'), join(folder, 'reference/chunks'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  })
  cpSync(join(graphviz, 'dist/index.js'), join(folder, 'graphviz.js'))
  writeFileSync(join(dist, 'pages/vendor.js'), vendorModule(packageOf(scalar).version))
  const maps = globSync(['standalone.esm.js.map', 'chunks/*.map'], { cwd: browser })
  const bundled = new Set(maps.flatMap((map) => bundledPackages(join(browser, map))))
  bundled.add('@scalar/api-reference').add('@hpcc-js/wasm-graphviz')
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), licences(modules, [...bundled].sort()))
}

/** The module that takes the place of src/pages/vendor.ts. */
const vendorModule = (version) => `import { fileURLToPath } from 'node:url'
export const referenceFiles = () => ({ version: '${version}', folder: fileURLToPath(new URL('../vendor/reference', import.meta.url)) })
export const loadGraphviz = async () => {
  const { Graphviz } = await import('../vendor/graphviz.js')
  const graphviz = await Graphviz.load()
  return (dot) => graphviz.dot(dot)
}
`

/** The names of the packages in a bundle, from its source map: those in node_modules, and those of Scalar's own repository. */
function bundledPackages(map) {
  const { sources } = JSON.parse(readFileSync(map, 'utf8'))
  return sources.flatMap((source) => {
    const installed = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]
    if (installed) return [installed]
    const own = /^(?:\.\.\/)+([\w-]+)\/dist\//.exec(source)?.[1]
    return own ? [`@scalar/${own}`] : []
  })
}

/** Licences of what is compiled into others, so that no package in node_modules tells them. */
const compiledIn = `Graphviz (https://graphviz.org), compiled to WebAssembly in graphviz.js
Eclipse Public License, see https://graphviz.org/license
Its source code: https://gitlab.com/graphviz/graphviz

Expat (https://libexpat.github.io), in graphviz.js
MIT

fzstd (https://github.com/101arrowz/fzstd), in graphviz.js
MIT

Phosphor Icons (https://phosphoricons.com), in reference
MIT
`

/** Packages that Scalar's bundle has and does not install. */
const notInstalled = { 'unist-util-find-after': 'MIT' }

/** Of this one a stand-in is installed (scripts/no-icons). Its licence is that of all parts of Scalar. */
const standIn = { name: '@scalar/icons', likeThat: '@scalar/components' }

function licences(modules, names) {
  const parts = names.map((name) => {
    const folder = folderOf(modules, name)
    if (!folder && !notInstalled[name]) {
      throw new Error(
        `The bundle of the reference has "${name}", which is not installed. Add its licence to scripts/vendor.mjs.`,
      )
    }
    if (!folder) return `${name}\n${notInstalled[name]}\n`
    return licenceOf(folder, name === standIn.name ? folderOf(modules, standIn.likeThat) : folder)
  })
  const intro = `The files in this folder were made by others. "reference" is the browser build of @scalar/api-reference,
"graphviz.js" is @hpcc-js/wasm-graphviz. These projects are in them, each under its own licence.\n`
  return [intro, ...parts, compiledIn].join(`\n${'-'.repeat(80)}\n\n`)
}

function folderOf(modules, name) {
  const top = join(modules, name)
  if (existsSync(join(top, 'package.json'))) return top
  const [nested] = globSync(`**/node_modules/${name}/package.json`, { cwd: modules })
  return nested ? join(modules, dirname(nested)) : null
}

function licenceOf(folder, withText) {
  const { name, version, license, author, homepage } = packageOf(folder)
  const file = readdirSync(withText).find((entry) => /^(licen[cs]e|copying)/i.test(basename(entry)))
  const text = file ? `\n${readFileSync(join(withText, file), 'utf8').trim()}\n` : ''
  const by = typeof author === 'string' ? author : (author?.name ?? '')
  return `${[`${name} ${version}`, license, by, homepage].filter(Boolean).join('\n')}\n${text}`
}

const packageOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
