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

const { createApiReference } = await import(place.dataset.renderer)
place.replaceChildren()
createApiReference(place, {
  url: place.dataset.document,
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
