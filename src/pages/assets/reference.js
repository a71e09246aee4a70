// Starts the reference's renderer within the page's policy, and names what the renderer leaves nameless.
const place = document.getElementById('reference')
const { nonce, content } = document.querySelector('meta[property=csp-nonce]')
const pass = nonce || content

// The renderer writes <style> elements and style attributes. The policy lets in style elements that carry the page's nonce,
// and properties that a script sets; so each is written in the way that is let in.
const createElement = document.createElement.bind(document)
document.createElement = (name, options) => {
  const element = createElement(name, options)
  if (String(name).toLowerCase() === 'style') element.nonce = pass
  return element
}
const { setAttribute } = Element.prototype
Element.prototype.setAttribute = function (name, value) {
  if (name === 'style') this.style.cssText = value
  else setAttribute.call(this, name, value)
}
const inner = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML')
Object.defineProperty(Element.prototype, 'innerHTML', {
  ...inner,
  set(html) {
    inner.set.call(this, String(html ?? '').replaceAll(/ style="([^"]*)"/g, ' data-style="$1"'))
    for (const element of (this instanceof HTMLTemplateElement ? this.content : this).querySelectorAll(
      '[data-style]',
    )) {
      element.style.cssText = element.dataset.style
      element.removeAttribute('data-style')
    }
  },
})

// In the document each operator of a filter is a parameter of its own, for generators. Readers get one entry for each field.
const operatorName = /^(filter\[[^\]]+\])(\[\w+\])$/
const foldOperators = ({ components, paths }) => {
  const parameters = components?.parameters ?? {}
  const folded = new Set()
  for (const [key, { name }] of Object.entries(parameters)) {
    const [, , operator] = operatorName.exec(name) ?? []
    const field = parameters[key.replace(/\.\w+$/, '')]
    if (operator === undefined || field === undefined) continue
    const told = field.description.split(' Other comparisons: ')
    const others =
      told[1] === undefined ? `\`${field.name}${operator}\`.` : `${told[1].slice(0, -1)}, \`${operator}\`.`
    field.description = `${told[0]} Other comparisons: ${others}`
    folded.add(`#/components/parameters/${key}`)
  }
  for (const operation of Object.values(paths).flatMap(Object.values))
    if (operation.parameters)
      operation.parameters = operation.parameters.filter(({ $ref }) => !folded.has($ref))
}
const fetchFolded = async (input, init) => {
  const answer = await fetch(input, init)
  const { pathname } = new URL(answer.url)
  if (!answer.ok || pathname !== new URL(place.dataset.document, location.href).pathname) return answer
  const document = await answer.json()
  foldOperators(document)
  return Response.json(document)
}

const { createApiReference } = await import(place.dataset.renderer)
place.replaceChildren()
createApiReference(place, {
  url: place.dataset.document,
  fetch: fetchFolded,
  authentication: { preferredSecurityScheme: 'key' },
  proxyUrl: '',
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  hiddenClients: true,
  hideDarkModeToggle: true,
  darkMode: matchMedia('(prefers-color-scheme: dark)').matches,
  modelsSectionLabel: 'Schemas',
  documentDownloadType: 'direct',
})
