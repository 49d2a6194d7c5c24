/** The body of a list response, in the format of the API. */
export function list(data: readonly unknown[], total: number | undefined, page: number, limit: number) {
  const totalPages = total === undefined ? undefined : Math.ceil(total / limit);
  return {
    data,
    meta: { count: data.length, total },
    pagination: {
      previousPage: page === 1 ? null : page - 1,
      currentPage: page,
      nextPage: totalPages === undefined || page < totalPages ? page + 1 : null,
      totalPages,
    },
  };
}
