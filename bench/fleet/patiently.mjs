/** Makes a call until it succeeds: on a busy machine Redis may answer too late. */
export async function patiently(call, onFailure = () => {}) {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (error.name !== 'FleetProblem') throw error
      onFailure()
    }
  }
}
