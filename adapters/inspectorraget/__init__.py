"""Files of the InspectorRAGet viewer: recorded answers of several models, human ratings and recorded metrics."""
