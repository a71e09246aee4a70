// Gives names and roles to what the reference's renderer leaves without, each time it has drawn.
const repair = (root) => {
  for (const button of root.querySelectorAll('button:not([aria-label], [aria-labelledby])')) {
    // The text of a copy button is there, but hidden.
    const nameless = button.textContent.trim() === '' || button.className.includes('copy-button')
    if (nameless) button.setAttribute('aria-label', button.title || 'Copy')
  }
  // A name must contain the text that is seen, or it cannot be called by voice.
  for (const button of root.querySelectorAll('button.show-more[aria-label]')) {
    const seen = button.textContent.trim()
    if (!button.ariaLabel.includes(seen)) button.setAttribute('aria-label', `${seen}: ${button.ariaLabel}`)
  }
  for (const button of root.querySelectorAll('button[role="none"]')) button.removeAttribute('role')
  for (const field of root.querySelectorAll('[role="combobox"]:not([aria-expanded])')) {
    field.setAttribute('aria-expanded', 'false')
  }
  // What can be scrolled must be reachable by keyboard. In texts, the renderer scrolls the code within its frame.
  const scrolled = 'pre:not([tabindex]), code.custom-scroll:not([tabindex])'
  for (const code of root.querySelectorAll(scrolled)) code.setAttribute('tabindex', '0')
}

let waiting = false
new MutationObserver(() => {
  if (waiting) return
  waiting = true
  requestAnimationFrame(() => {
    waiting = false
    repair(document.body)
  })
}).observe(document.body, { childList: true, subtree: true })
