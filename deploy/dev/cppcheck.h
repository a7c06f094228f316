/* ccan's walks over lists, as far as cppcheck has to know them. */
#define list_for_each(list, at, member) for ((at) = first_of(list); (at); (at) = next_of(at))
#define list_for_each_rev(list, at, member) list_for_each (list, at, member)
#define list_for_each_safe(list, at, next, member)                                                           \
    for ((at) = first_of(list); (at) && ((next) = next_of(at), 1); (at) = (next))
