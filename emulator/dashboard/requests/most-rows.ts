/** The rows that the page shows at first, and the most that it keeps. */
export const [firstRows, mostRows] = [50, 200]
