package config

import "time"

// Every is how often something is done; 0 = never, which is written "off".
type Every time.Duration

const never = "off"

// UnmarshalText reads a time or "off".
func (e *Every) UnmarshalText(text []byte) error {
	*e = 0
	if string(text) == never {
		return nil
	}
	d, err := time.ParseDuration(string(text))
	*e = Every(d)
	return err
}

// orNever allows "off" beside what fault allows.
func orNever(fault func(string) string) func(string) string {
	return func(text string) string {
		if text == never {
			return ""
		}
		if why := fault(text); why != "" {
			return why + ", or " + never
		}
		return ""
	}
}
