/** What a note says is said: its name leaves the address, which people copy and keep. */
const address = new URL(location.href)
if (address.searchParams.has('note')) {
  address.searchParams.delete('note')
  history.replaceState(history.state, '', address)
}

export {}
