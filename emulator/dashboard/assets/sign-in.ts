/** Leaves the form that asks for the control token only for an emulator that answers: what was typed stays. */
document.addEventListener('submit', (event) => {
  event.preventDefault()
  const form = event.target as HTMLFormElement
  fetch(location.href, { method: 'HEAD' }).then(
    () => form.submit(),
    () => {
      const problem = form.querySelector('.problem') ?? form.appendChild(document.createElement('p'))
      problem.className = 'problem'
      problem.setAttribute('role', 'alert')
      problem.textContent = 'The emulator does not answer. It may have ended: start it again, then press again.'
    },
  )
})
