package measure

import "errors"

// distinct joins errors, but for those that an earlier one wraps already: a disk
// that is full ends the stream, the step and the run with one and the same error.
func distinct(errs ...error) error {
	var kept []error
	for _, err := range errs {
		if err != nil && !errors.Is(errors.Join(kept...), err) {
			kept = append(kept, err)
		}
	}
	if len(kept) == 1 {
		return kept[0]
	}
	return errors.Join(kept...)
}
