package twinfile

import (
	"reflect"
	"testing"

	"powerd/engine/twin/model"
	"powerd/engine/twin/model/modeltest"
)

// Every key lands in its field and in its unit: the published drive as a file is the
// published drive as the model's own tests have it, in SI and nanoseconds.
func TestPublishedDrive(t *testing.T) {
	got, err := Find("seagate-1200-400")
	if err != nil {
		t.Fatal(err)
	}
	want := modeltest.Published(1)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// Every file that ships is a drive.
func TestBuiltinTwins(t *testing.T) {
	for _, name := range Names() {
		c, err := Find(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if c.Name != name {
			t.Errorf("%s: it calls itself %q", name, c.Name)
		}
		for _, scale := range []int{1, 4, 100} {
			if _, err := model.New(c.Scaled(scale)); err != nil {
				t.Errorf("%s at scale %d: %v", name, scale, err)
			}
		}
	}
}
